//! What a plugin is parameterized with, on a command line.

use clap::Args;

/// Words for the plugin, not for us.
#[derive(Args, Clone, Debug)]
pub(crate) struct Parameters {
    /// The plugin's parameters; a flag that comes first needs a `--` before it.
    #[arg(value_name = "PARAMETER", trailing_var_arg = true)]
    parameters: Vec<String>,
}

impl Parameters {
    /// As the plugin gets them. After the first one nothing is ours any more, so that a `--` which `pulumi` would take away arrives
    /// here.
    pub(crate) fn given(&self) -> Vec<String> {
        let mark = self.parameters.iter().position(|parameter| parameter == "--");
        let kept = self.parameters.iter().enumerate().filter(|(at, _)| Some(*at) != mark);
        kept.map(|(_, parameter)| parameter.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        plugin: String,
        #[command(flatten)]
        parameters: Parameters,
        #[arg(long)]
        ours: bool,
    }

    fn parsed(line: &str) -> (bool, Vec<String>) {
        let line = Line::try_parse_from(line.split(' ')).unwrap();
        assert_eq!(line.plugin, "bridge");
        (line.ours, line.parameters.given())
    }

    #[test]
    fn flags_are_the_plugins_with_and_without_a_mark() {
        let wanted = ["a/b", "--include", "x"].map(str::to_owned).to_vec();
        assert_eq!(parsed("test bridge a/b --include x"), (false, wanted.clone()));
        assert_eq!(parsed("test bridge a/b -- --include x"), (false, wanted.clone()));
        assert_eq!(parsed("test bridge -- a/b --include x"), (false, wanted.clone()));
        assert_eq!(parsed("test --ours bridge a/b --include x"), (true, wanted));
    }
}
