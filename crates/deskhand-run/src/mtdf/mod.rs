//! The format tools are declared in.
