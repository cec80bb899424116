//! The parts of a random program, and how they change from run to run.

use super::random::Random;

/// The kind of registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A resource with a provider.
    Custom,
    /// A component.
    Component,
    /// An explicit provider.
    Provider,
    /// A resource managed elsewhere, read by this id.
    Read(String),
    /// A function call.
    Invoke,
}

/// One registration. It refers to others by number, which stays when the name changes.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) number: usize,
    pub(crate) kind: Kind,
    pub(crate) ty: String,
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) provider: Option<usize>,
    /// Uses their ids; a new id means an update.
    pub(crate) soft: Vec<usize>,
    /// Uses their ids; a new id means a replacement.
    pub(crate) hard: Vec<usize>,
    /// Exists only within this item.
    pub(crate) within: Option<usize>,
    pub(crate) depends: Vec<usize>,
    pub(crate) replace_with: Option<usize>,
    pub(crate) key: usize,
    pub(crate) size: usize,
    pub(crate) trigger: Option<usize>,
    pub(crate) secret: bool,
    pub(crate) hidden: bool,
    pub(crate) ignore_size: bool,
    pub(crate) replace_on_size: bool,
    pub(crate) protect: Option<bool>,
    pub(crate) retain: Option<bool>,
    pub(crate) delete_before_replace: Option<bool>,
    pub(crate) old_names: Vec<String>,
    pub(crate) old_types: Vec<String>,
}

impl Item {
    /// The numbers of the items that must be registered first.
    pub(crate) fn needs(&self) -> impl Iterator<Item = usize> {
        self.parent
            .iter()
            .chain(&self.provider)
            .chain(&self.soft)
            .chain(&self.hard)
            .chain(&self.within)
            .chain(&self.depends)
            .chain(&self.replace_with)
            .copied()
    }

    /// The description that a person reads in a finding.
    pub(crate) fn describe(&self) -> String {
        let mut text = format!("#{} {} {:?} key {} size {}", self.number, self.name, self.kind, self.key, self.size);
        let one = [
            ("parent", self.parent),
            ("provider", self.provider),
            ("within", self.within),
            ("replace with", self.replace_with),
            ("trigger", self.trigger),
        ];
        for (name, value) in one.iter().filter_map(|(name, value)| value.map(|value| (name, value))) {
            text.push_str(&format!(", {name} {value}"));
        }
        for (name, list) in [("soft", &self.soft), ("hard", &self.hard), ("depends", &self.depends)] {
            if !list.is_empty() {
                text.push_str(&format!(", {name} {list:?}"));
            }
        }
        let options =
            [("protect", self.protect), ("retain", self.retain), ("delete before replace", self.delete_before_replace)];
        for (name, value) in options.iter().filter_map(|(name, value)| value.map(|value| (name, value))) {
            text.push_str(&format!(", {name} {value}"));
        }
        let marks = [("ignores size", self.ignore_size), ("size replaces", self.replace_on_size)];
        for (name, _) in marks.iter().filter(|(_, set)| *set) {
            text.push_str(&format!(", {name}"));
        }
        text
    }

    /// Removes every reference to a removed item.
    fn forget(&mut self, number: usize) {
        for other in [&mut self.parent, &mut self.provider, &mut self.within, &mut self.replace_with] {
            if *other == Some(number) {
                *other = None;
            }
        }
        for others in [&mut self.soft, &mut self.hard, &mut self.depends] {
            others.retain(|other| *other != number);
        }
    }
}

/// A program that changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Items {
    pub(crate) items: Vec<Item>,
    next: usize,
}

impl Items {
    pub(crate) fn random(random: &mut Random, count: usize, foreign: &[String]) -> Self {
        let mut items = Self::default();
        for _ in 0..count {
            items.add(random, foreign);
        }
        items
    }

    /// Adds an item that may use any other.
    pub(crate) fn add(&mut self, random: &mut Random, foreign: &[String]) {
        let number = self.next;
        self.next += 1;
        let package = if random.percent(80) { "alpha" } else { "beta" };
        let (kind, ty) = match random.below(20) {
            0..=2 => (Kind::Component, "sim:i:Group0".to_owned()),
            3..=4 => (Kind::Provider, format!("pulumi:providers:{package}")),
            5 => match random.pick(foreign) {
                Some(id) => (Kind::Read(id.clone()), format!("{package}:i:Plain")),
                None => (Kind::Invoke, String::new()),
            },
            6 => (Kind::Invoke, String::new()),
            7..=11 => (Kind::Custom, format!("{package}:i:Plain")),
            12..=15 => (Kind::Custom, format!("{package}:i:Fixed")),
            _ => (Kind::Custom, format!("{package}:i:Solid")),
        };
        let custom = kind == Kind::Custom;
        let mut item = Item {
            number,
            ty,
            // Names are not in order of creation, so that the state's order is not the program's.
            name: format!("{}{number}", char::from(b'a' + random.below(26) as u8)),
            parent: None,
            provider: None,
            soft: Vec::new(),
            hard: Vec::new(),
            within: None,
            depends: Vec::new(),
            replace_with: None,
            key: 0,
            size: 0,
            trigger: random.percent(5).then_some(0),
            secret: custom && random.percent(20),
            hidden: custom && random.percent(10),
            ignore_size: custom && random.percent(5),
            replace_on_size: custom && random.percent(5),
            protect: random.percent(4).then_some(true),
            retain: random.percent(4).then_some(true),
            delete_before_replace: random.percent(10).then(|| random.percent(50)),
            old_names: Vec::new(),
            old_types: Vec::new(),
            kind,
        };
        if item.kind == Kind::Invoke {
            self.items.push(item);
            return;
        }
        item.parent = self.any(random, 30, |other| other.kind == Kind::Component);
        if custom {
            let package = item.ty.split(':').next().unwrap_or_default().to_owned();
            item.provider = self.any(random, 30, |other| other.kind == Kind::Provider && other.ty.ends_with(&package));
            for _ in 0..random.below(3) {
                let chosen = self.any(random, 60, |other| matches!(other.kind, Kind::Custom | Kind::Read(_)));
                let list = if random.percent(50) { &mut item.soft } else { &mut item.hard };
                list.extend(chosen);
            }
            item.within = self.any(random, 8, |other| other.kind == Kind::Custom);
            item.replace_with = self.any(random, 5, |other| other.kind == Kind::Custom);
        }
        item.depends.extend(self.any(random, 20, |other| other.kind != Kind::Invoke));
        for list in [&mut item.soft, &mut item.hard] {
            list.sort_unstable();
            list.dedup();
        }
        self.items.push(item);
    }

    fn any(&self, random: &mut Random, chance: usize, fits: impl Fn(&Item) -> bool) -> Option<usize> {
        if !random.percent(chance) {
            return None;
        }
        let fitting: Vec<usize> = self.items.iter().filter(|other| fits(other)).map(|other| other.number).collect();
        random.pick(&fitting).copied()
    }

    /// Removes an item; items that used it continue without it.
    pub(crate) fn remove(&mut self, index: usize) {
        if index < self.items.len() {
            let number = self.items.remove(index).number;
            for item in &mut self.items {
                item.forget(number);
            }
        }
    }

    /// Makes a random change.
    pub(crate) fn change(&mut self, random: &mut Random, foreign: &[String]) {
        let count = self.items.len();
        let index = random.below(count);
        let what = random.below(14);
        if what == 0 || count == 0 {
            return self.add(random, foreign);
        }
        if what == 1 {
            return self.remove(index);
        }
        let fresh = format!("{}{}", char::from(b'a' + random.below(26) as u8), self.next);
        self.next += 1;
        let Some(item) = self.items.get_mut(index) else { return };
        match what {
            2..=5 => item.key += 1,
            6 | 7 => item.size += 1,
            8 if !matches!(item.kind, Kind::Read(_)) => {
                item.old_names.insert(0, std::mem::replace(&mut item.name, fresh));
            }
            9 if item.kind == Kind::Component => {
                let ty = format!("sim:i:Group{}", self.next);
                item.old_types.insert(0, std::mem::replace(&mut item.ty, ty));
            }
            10 => item.protect = if item.protect.is_none() { Some(random.percent(50)) } else { None },
            11 => item.retain = if item.retain.is_none() { Some(random.percent(50)) } else { None },
            12 => item.trigger = Some(item.trigger.map_or(0, |trigger| trigger + 1)),
            13 if item.kind == Kind::Custom => {
                for list in [&mut item.soft, &mut item.hard] {
                    let dropped = random.below(list.len() + 1);
                    if dropped < list.len() {
                        list.remove(dropped);
                    }
                }
            }
            _ => {}
        }
    }
}
