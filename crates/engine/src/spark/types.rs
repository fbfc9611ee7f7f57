//! Spark's types, and which of them are carried.

use super::messages::Empty;
use arrow::datatypes::{DataType, TimeUnit};
use prost::{Message, Oneof};

/// `AnalyzePlanResponse.Schema`
#[derive(Clone, PartialEq, Message)]
pub(super) struct Schema {
    #[prost(message, optional, tag = "1")]
    pub schema: Option<Type>,
}

/// `spark.connect.DataType`
#[derive(Clone, PartialEq, Message)]
pub(super) struct Type {
    #[prost(
        oneof = "Kind",
        tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28, 29, 30"
    )]
    pub kind: Option<Kind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Kind {
    #[prost(message, tag = "1")]
    Void(Empty),
    #[prost(message, tag = "2")]
    Binary(Empty),
    #[prost(message, tag = "3")]
    Boolean(Empty),
    #[prost(message, tag = "4")]
    Byte(Empty),
    #[prost(message, tag = "5")]
    Short(Empty),
    #[prost(message, tag = "6")]
    Integer(Empty),
    #[prost(message, tag = "7")]
    Long(Empty),
    #[prost(message, tag = "8")]
    Float(Empty),
    #[prost(message, tag = "9")]
    Double(Empty),
    #[prost(message, tag = "10")]
    Decimal(Decimal),
    #[prost(message, tag = "11")]
    Text(Text),
    #[prost(message, tag = "12")]
    Char(Empty),
    #[prost(message, tag = "13")]
    Varchar(Empty),
    #[prost(message, tag = "14")]
    Date(Empty),
    #[prost(message, tag = "15")]
    Timestamp(Empty),
    #[prost(message, tag = "16")]
    TimestampWithoutZone(Empty),
    #[prost(message, tag = "17")]
    CalendarInterval(Empty),
    #[prost(message, tag = "18")]
    YearMonthInterval(Empty),
    #[prost(message, tag = "19")]
    DayTimeInterval(Empty),
    #[prost(message, tag = "20")]
    Array(Empty),
    #[prost(message, tag = "21")]
    Struct(Struct),
    #[prost(message, tag = "22")]
    Map(Empty),
    #[prost(message, tag = "23")]
    UserDefined(Empty),
    #[prost(message, tag = "25")]
    Variant(Empty),
    #[prost(message, tag = "26")]
    Geometry(Empty),
    #[prost(message, tag = "27")]
    Geography(Empty),
    #[prost(message, tag = "28")]
    Time(Empty),
    #[prost(message, tag = "29")]
    FineTimestampWithoutZone(Empty),
    #[prost(message, tag = "30")]
    FineTimestamp(Empty),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Decimal {
    #[prost(int32, optional, tag = "1")]
    pub scale: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub precision: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Text {
    #[prost(string, tag = "2")]
    pub collation: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Struct {
    #[prost(message, repeated, tag = "1")]
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Field {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub kind: Option<Type>,
}

/// The collation that compares texts byte by byte.
const BYTEWISE: &str = "UTF8_BINARY";

impl Type {
    /// The type as cells arrive; Spark's name of a type that cannot be carried.
    pub(super) fn carried(&self) -> Result<DataType, String> {
        let Some(kind) = &self.kind else { return Err("unknown".to_owned()) };
        Ok(match kind {
            Kind::Boolean(_) => DataType::Boolean,
            Kind::Byte(_) => DataType::Int8,
            Kind::Short(_) => DataType::Int16,
            Kind::Integer(_) => DataType::Int32,
            Kind::Long(_) => DataType::Int64,
            Kind::Float(_) => DataType::Float32,
            Kind::Double(_) => DataType::Float64,
            Kind::Decimal(decimal) => decimal.carried()?,
            Kind::Text(text) if text.collation.is_empty() || text.collation == BYTEWISE => DataType::Utf8,
            // What such a collation holds to be equal would be counted together.
            Kind::Text(_) => return Err("string with a collation of its own".to_owned()),
            Kind::Char(_) | Kind::Varchar(_) => DataType::Utf8,
            Kind::Date(_) => DataType::Date32,
            Kind::Timestamp(_) => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Kind::TimestampWithoutZone(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
            Kind::Time(_) => DataType::Time64(TimeUnit::Nanosecond),
            Kind::Void(_) => return Err("void".to_owned()),
            Kind::Binary(_) => return Err("binary".to_owned()),
            Kind::CalendarInterval(_) | Kind::YearMonthInterval(_) | Kind::DayTimeInterval(_) => {
                return Err("interval".to_owned());
            }
            Kind::Array(_) => return Err("array".to_owned()),
            Kind::Struct(_) => return Err("struct".to_owned()),
            Kind::Map(_) => return Err("map".to_owned()),
            Kind::UserDefined(_) => return Err("user-defined type".to_owned()),
            Kind::Variant(_) => return Err("variant".to_owned()),
            Kind::Geometry(_) => return Err("geometry".to_owned()),
            Kind::Geography(_) => return Err("geography".to_owned()),
            Kind::FineTimestamp(_) | Kind::FineTimestampWithoutZone(_) => {
                return Err("timestamp of nanoseconds".to_owned());
            }
        })
    }

    /// The columns of a table.
    pub(super) fn fields(&self) -> &[Field] {
        match &self.kind {
            Some(Kind::Struct(fields)) => &fields.fields,
            _ => &[],
        }
    }
}

impl Decimal {
    fn carried(&self) -> Result<DataType, String> {
        // Spark's own figures where none are said.
        let precision =
            u8::try_from(self.precision.unwrap_or(10)).ok().filter(|digits| (1..=38).contains(digits));
        let scale = i8::try_from(self.scale.unwrap_or(0)).ok().filter(|digits| (0..=38).contains(digits));
        match (precision, scale) {
            (Some(precision), Some(scale)) => Ok(DataType::Decimal128(precision, scale)),
            _ => Err("decimal of unusual size".to_owned()),
        }
    }
}
