//! Decodes one entry of a provider's answer into a [`Schema`] or a [`Function`].

use std::sync::Arc;

use super::wire::{Field, Reader};
use super::{
    Attribute, Block, Capabilities, Deprecation, Description, Function, NestedBlock, NestedObject, Nesting, Parameter,
    Schema, SchemaError, Shape,
};
use crate::Protocol;
use crate::cty::{DEPTH_LIMIT, Type};

pub(super) fn schema(message: &[u8], protocol: Protocol) -> Result<Schema, SchemaError> {
    let mut schema = Schema::default();
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => schema.version = field.integer()?,
            2 => schema.block = block(field.bytes()?, protocol, 0)?,
            _ => {}
        }
    }
    Ok(schema)
}

pub(crate) fn function(message: &[u8]) -> Result<Function, SchemaError> {
    let mut function = Function {
        parameters: Vec::new(),
        variadic: None,
        result: Type::Dynamic,
        summary: String::new(),
        description: Description::default(),
        deprecation_message: String::new(),
    };
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => function.parameters.push(parameter(field.bytes()?)?),
            2 => function.variadic = Some(parameter(field.bytes()?)?),
            3 => {
                let mut reader = Reader::new(field.bytes()?);
                while let Some((number, field)) = reader.next()? {
                    if number == 1 {
                        function.result = ty(field)?;
                    }
                }
            }
            4 => function.summary = field.text()?.to_owned(),
            5 => function.description.text = field.text()?.to_owned(),
            6 => function.description.markdown = field.flag()?,
            7 => function.deprecation_message = field.text()?.to_owned(),
            _ => {}
        }
    }
    Ok(function)
}

pub(super) fn capabilities(message: &[u8]) -> Result<Capabilities, SchemaError> {
    let mut capabilities = Capabilities::default();
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => capabilities.plan_destroy = field.flag()?,
            2 => capabilities.schema_optional = field.flag()?,
            3 => capabilities.move_state = field.flag()?,
            4 => capabilities.generate_config = field.flag()?,
            _ => {}
        }
    }
    Ok(capabilities)
}

fn block(message: &[u8], protocol: Protocol, depth: usize) -> Result<Block, SchemaError> {
    let depth = deeper(depth)?;
    let mut block = Block::default();
    let (mut deprecated, mut deprecation) = (false, String::new());
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            2 => block.attributes.push(attribute(field.bytes()?, protocol, depth)?),
            3 => block.blocks.push(nested_block(field.bytes()?, protocol, depth)?),
            4 => block.description.text = field.text()?.to_owned(),
            5 => block.description.markdown = field.flag()?,
            6 => deprecated = field.flag()?,
            7 => deprecation = field.text()?.to_owned(),
            _ => {}
        }
    }
    block.deprecation = deprecated.then_some(Deprecation { message: deprecation });
    Ok(block)
}

fn nested_block(message: &[u8], protocol: Protocol, depth: usize) -> Result<NestedBlock, SchemaError> {
    let mut name = Arc::from("");
    let mut content = Block::default();
    let mut kind = None;
    let (mut min_items, mut max_items) = (0, 0);
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => name = Arc::from(field.text()?),
            2 => content = block(field.bytes()?, protocol, depth)?,
            3 => kind = Some(nesting(field.number()?, true)?),
            4 => min_items = field.integer()?,
            5 => max_items = field.integer()?,
            _ => {}
        }
    }
    let nesting = kind.ok_or(SchemaError::Nesting(0))?;
    Ok(NestedBlock { name, block: Arc::new(content), nesting, min_items, max_items })
}

fn attribute(message: &[u8], protocol: Protocol, depth: usize) -> Result<Attribute, SchemaError> {
    let depth = deeper(depth)?;
    let mut attribute = Attribute {
        name: Arc::from(""),
        shape: Shape::Type(Type::Dynamic),
        description: Description::default(),
        required: false,
        optional: false,
        computed: false,
        sensitive: false,
        write_only: false,
        deprecation: None,
    };
    let (mut deprecated, mut deprecation) = (false, String::new());
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match (number, protocol) {
            (1, _) => attribute.name = Arc::from(field.text()?),
            // Empty if the nested type gives it.
            (2, _) => match field.bytes()? {
                b"" => {}
                json => attribute.shape = Shape::Type(Type::from_json(json)?),
            },
            (3, _) => attribute.description.text = field.text()?.to_owned(),
            (4, _) => attribute.required = field.flag()?,
            (5, _) => attribute.optional = field.flag()?,
            (6, _) => attribute.computed = field.flag()?,
            (7, _) => attribute.sensitive = field.flag()?,
            (8, _) => attribute.description.markdown = field.flag()?,
            (9, _) => deprecated = field.flag()?,
            (10, Protocol::Six) => attribute.shape = Shape::Nested(nested_object(field.bytes()?, depth)?),
            (10, Protocol::Five) | (11, Protocol::Six) => attribute.write_only = field.flag()?,
            (11, Protocol::Five) | (12, Protocol::Six) => deprecation = field.text()?.to_owned(),
            _ => {}
        }
    }
    attribute.deprecation = deprecated.then_some(Deprecation { message: deprecation });
    Ok(attribute)
}

fn nested_object(message: &[u8], depth: usize) -> Result<NestedObject, SchemaError> {
    let mut attributes = Vec::new();
    let mut kind = None;
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => attributes.push(attribute(field.bytes()?, Protocol::Six, depth)?),
            3 => kind = Some(nesting(field.number()?, false)?),
            _ => {}
        }
    }
    Ok(NestedObject { attributes, nesting: kind.ok_or(SchemaError::Nesting(0))? })
}

fn parameter(message: &[u8]) -> Result<Parameter, SchemaError> {
    let mut parameter = Parameter {
        name: String::new(),
        ty: Type::Dynamic,
        allow_null: false,
        allow_unknown: false,
        description: Description::default(),
    };
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => parameter.name = field.text()?.to_owned(),
            2 => parameter.ty = ty(field)?,
            3 => parameter.allow_null = field.flag()?,
            4 => parameter.allow_unknown = field.flag()?,
            5 => parameter.description.text = field.text()?.to_owned(),
            6 => parameter.description.markdown = field.flag()?,
            _ => {}
        }
    }
    Ok(parameter)
}

fn ty(field: Field<'_>) -> Result<Type, SchemaError> {
    Ok(Type::from_json(field.bytes()?)?)
}

fn nesting(number: u64, in_block: bool) -> Result<Nesting, SchemaError> {
    match number {
        1 => Ok(Nesting::Single),
        2 => Ok(Nesting::List),
        3 => Ok(Nesting::Set),
        4 => Ok(Nesting::Map),
        5 if in_block => Ok(Nesting::Group),
        other => Err(SchemaError::Nesting(other)),
    }
}

fn deeper(depth: usize) -> Result<usize, SchemaError> {
    if depth < DEPTH_LIMIT { Ok(depth + 1) } else { Err(SchemaError::TooDeep) }
}
