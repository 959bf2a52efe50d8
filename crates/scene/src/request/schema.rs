//! JSON schemas, derived from the types of requests and responses.
