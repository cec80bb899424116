//! Data sources and functions, both of which Pulumi calls functions.

use outrigger_provider::{CallContext, CallError, CheckFailure, Invoke, Invoked};
use outrigger_terraform::cty::{Type, Value as Cty};
use outrigger_terraform::schema::Parameter;
use outrigger_terraform::{Report, consistency};
use outrigger_value::{PropertyMap, Value, secrecy};

use crate::naming::object_names::{Object, Shape};
use crate::naming::property_path;
use crate::naming::resources::ProviderFunction;
use crate::package::{DataSubject, Package};
use crate::resource::DEFERRED;
use crate::values::decode::Unfit;
use crate::values::{decode, encode};

const CALL: &str = "Invoke";

/// The property that holds a result that is not an object.
pub(crate) const RESULT: &str = "result";

impl Package {
    pub(crate) async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        if let Some(source) = self.source(CALL, &request.token)? {
            return self.read_data(cx, &source, request.arguments).await;
        }
        let function = self.naming.function(&request.token).map_err(|error| self.error(CALL, error.to_string()))?;
        match function {
            Some(function) => self.call_function(cx, &function, request.arguments).await,
            None => Err(self.error(CALL, format!("the provider has no function `{}`", request.token))),
        }
    }

    async fn read_data(
        &self,
        cx: &CallContext,
        source: &DataSubject,
        arguments: PropertyMap,
    ) -> Result<Invoked, CallError> {
        let object = &source.source.object;
        let config = match encode::object(object, &arguments) {
            Ok(config) => config,
            Err(misfit) => return Ok(refused(misfit.path.to_string(), misfit.reason)),
        };
        let client = self.client(cx).await?;
        let reports = client.validate_data(cx, &source.handle, &config).await?;
        if let Some(refused) = self.heed_arguments(cx, object, reports)? {
            return Ok(refused);
        }
        let (state, deferred, reports) = client.read_data(cx, &source.handle, &config).await?;
        if let Some(refused) = self.heed_arguments(cx, object, reports)? {
            return Ok(refused);
        }
        if deferred {
            return Err(self.error(CALL, DEFERRED));
        }
        // All arguments are known, so an unknown in the answer will never become known, as a program would expect it to.
        if let Some(finding) = consistency::unknown_in(&state).first() {
            let what =
                format!("the provider returned an unknown value, which is a bug in the provider: {}", finding.path);
            return Err(self.error(CALL, what));
        }
        let mut result = decode::object(object, &state)
            .map_err(|unfit| self.error(CALL, format!("the answer cannot be understood: {unfit}")))?;
        secrecy::annotate(&mut result, &arguments);
        Ok(Invoked { result, failures: Vec::new() })
    }

    /// Errors about an argument become check failures; any other error fails the call.
    fn heed_arguments(
        &self,
        cx: &CallContext,
        object: &Object,
        reports: Vec<Report>,
    ) -> Result<Option<Invoked>, CallError> {
        let mut failures = Vec::new();
        let mut others = Vec::new();
        for report in reports {
            match property_path::top(object, &report.path) {
                Some(property) if report.is_error() => {
                    failures.push(CheckFailure::new(property, format!("{}: {}", report.summary, report.detail)));
                }
                _ => others.push(report),
            }
        }
        self.heed(cx, CALL, None, Some(object), &others)?;
        Ok((!failures.is_empty()).then(|| Invoked { result: PropertyMap::new(), failures }))
    }

    async fn call_function(
        &self,
        cx: &CallContext,
        function: &ProviderFunction,
        arguments: PropertyMap,
    ) -> Result<Invoked, CallError> {
        let given = match collected(function, &arguments) {
            Ok(given) => given,
            Err((property, reason)) => return Ok(refused(property, reason)),
        };
        let ty = &function.function.result;
        // A call with an unknown argument has an unknown result, unless the function accepts unknowns.
        if given.iter().any(|given| !given.value.is_wholly_known() && !given.parameter.allow_unknown) {
            return Ok(Invoked { result: unknown(ty), failures: Vec::new() });
        }
        if let Some(given) = given.iter().find(|given| given.value.is_null() && !given.parameter.allow_null) {
            return Ok(refused(given.name.clone(), "the argument must not be null".to_owned()));
        }
        let values: Vec<(Cty, Type)> =
            given.iter().map(|given| (given.value.clone(), given.parameter.ty.clone())).collect();
        match self.client(cx).await?.call_function(cx, &function.terraform, &values, ty).await? {
            Ok(value) => {
                let mut result = shaped(ty, &value)
                    .map_err(|unfit| self.error(CALL, format!("the answer cannot be understood: {unfit}")))?;
                if secrecy::has_secrets(&arguments) {
                    secrecy::conceal_all(&mut result);
                }
                Ok(Invoked { result, failures: Vec::new() })
            }
            Err((text, argument)) => {
                let about = argument.and_then(|place| usize::try_from(place).ok()).and_then(|place| given.get(place));
                match about {
                    Some(given) => Ok(refused(given.name.clone(), text)),
                    None => Err(self.error(CALL, text)),
                }
            }
        }
    }
}

/// An argument and its parameter.
struct Given<'a> {
    name: String,
    parameter: &'a Parameter,
    value: Cty,
}

/// The arguments in order; variadic ones come from a list.
fn collected<'a>(function: &'a ProviderFunction, arguments: &PropertyMap) -> Result<Vec<Given<'a>>, (String, String)> {
    let mut given = Vec::new();
    let mut names = function.arguments.iter();
    let mut take = |name: &str, parameter: &'a Parameter, value: &Value| {
        let value = encode::shaped(&Shape::of_type(&parameter.ty), value);
        let value = value.map_err(|misfit| (name.to_owned(), misfit.to_string()))?;
        given.push(Given { name: name.to_owned(), parameter, value });
        Ok::<(), (String, String)>(())
    };
    for (parameter, name) in function.function.parameters.iter().zip(names.by_ref()) {
        take(name, parameter, arguments.get(name).unwrap_or(&Value::Null))?;
    }
    if let (Some(parameter), Some(name)) = (&function.function.variadic, names.next()) {
        match arguments.get(name).map(Value::bare) {
            None | Some(Value::Null) => {}
            Some(Value::List(items)) => items.iter().try_for_each(|item| take(name, parameter, item))?,
            Some(Value::Unknown) => take(name, parameter, &Value::Unknown)?,
            Some(_) => return Err((name.clone(), "a list is needed".to_owned())),
        }
    }
    Ok(given)
}

/// The result as an object: itself, or as the property `result`.
fn shaped(ty: &Type, value: &Cty) -> Result<PropertyMap, Unfit> {
    Ok(match (ty, decode::shaped(&Shape::of_type(ty), value)?) {
        (Type::Object(_), Value::Map(properties)) => properties,
        (_, result) => PropertyMap::from([(RESULT.to_owned(), result)]),
    })
}

/// The result with every property unknown.
fn unknown(ty: &Type) -> PropertyMap {
    match Shape::of_type(ty) {
        Shape::Object(object) => object.fields().iter().map(|field| (field.name.to_string(), Value::Unknown)).collect(),
        _ => PropertyMap::from([(RESULT.to_owned(), Value::Unknown)]),
    }
}

fn refused(property: String, reason: String) -> Invoked {
    Invoked { result: PropertyMap::new(), failures: vec![CheckFailure::new(property, reason)] }
}
