//! Parses the HTTP headers of a webhook delivery.

use crate::ids::DeliveryId;
use http::HeaderMap;

/// Headers of a delivery.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Delivery {
    /// Id of the delivery. A redelivery has the same id.
    pub id: DeliveryId,
    /// Name of the event.
    pub event: String,
}

/// Reason why a request is not a valid delivery.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidDelivery {
    /// Missing or invalid header with the delivery id.
    #[error("X-GitHub-Delivery is missing or malformed")]
    MissingId,
    /// Missing header with the name of the event.
    #[error("X-GitHub-Event is missing or malformed")]
    MissingEvent,
    /// Content type other than JSON.
    #[error("unsupported content type: set the webhook's content type to application/json")]
    NotJson,
}

impl Delivery {
    /// Parses the headers.
    ///
    /// # Errors
    /// `InvalidDelivery` with the missing or invalid header.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, InvalidDelivery> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let is_json = |value: &str| {
            value.split(';').next().is_some_and(|kind| kind.trim() == "application/json")
        };
        if !header("content-type").is_some_and(is_json) {
            return Err(InvalidDelivery::NotJson);
        }
        let id = header("x-github-delivery").and_then(|id| id.to_owned().try_into().ok());
        let is_name = |name: &&str| (1..=64).contains(&name.len());
        let event =
            header("x-github-event").filter(is_name).ok_or(InvalidDelivery::MissingEvent)?;
        Ok(Self { id: id.ok_or(InvalidDelivery::MissingId)?, event: event.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn header_map(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn delivery_is_read_from_its_headers() {
        let mut list = vec![
            ("content-type", "application/json; charset=utf-8"),
            ("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
            ("x-github-event", "push"),
        ];
        assert_eq!(Delivery::from_headers(&header_map(&list)).unwrap().event, "push");
        list.pop();
        assert_eq!(Delivery::from_headers(&header_map(&list)), Err(InvalidDelivery::MissingEvent));
        list[1].1 = "../..";
        list.push(("x-github-event", "push"));
        assert_eq!(Delivery::from_headers(&header_map(&list)), Err(InvalidDelivery::MissingId));
        list[0].1 = "application/x-www-form-urlencoded";
        assert_eq!(Delivery::from_headers(&header_map(&list)), Err(InvalidDelivery::NotJson));
    }
}
