mod gates;
mod guard;
mod sentences;
