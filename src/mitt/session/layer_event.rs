//! Events of layers above the session, which it passes on to its listeners.
//!
//! Knows no layer: the event is a value of any type.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// Event of a layer above the session, such as a run with a model. It holds a value of the layer's own type, which the session
/// does not know: a listener that knows the layer asks for that type. Cheap to clone.
///
/// # Example: a program that reports its own steps
///
/// ```
/// use mitt::{Event, LayerEvent};
///
/// #[derive(Debug)]
/// struct Saved {
///     rows: u64,
/// }
///
/// // The program sends it with `Session::emit`, and listeners receive it between the steps of the session.
/// let event = Event::Layer(LayerEvent::new(Saved { rows: 7 }));
///
/// let Event::Layer(layer) = &event else { panic!("{event:?}") };
/// assert_eq!(layer.downcast_ref::<Saved>().map(|saved| saved.rows), Some(7));
/// assert!(layer.downcast_ref::<String>().is_none(), "the value has another type");
/// ```
#[derive(Clone, Debug)]
pub struct LayerEvent {
    value: Arc<dyn LayerValue>,
    is_untagged: bool,
}

/// Value of an event, which can be shown and whose type can be asked for.
trait LayerValue: Any + Debug + Send + Sync {}

impl<T: Any + Debug + Send + Sync> LayerValue for T {}

impl LayerEvent {
    /// Returns an event with this value.
    pub fn new<T: Any + Debug + Send + Sync>(value: T) -> LayerEvent {
        LayerEvent { value: Arc::new(value), is_untagged: false }
    }

    /// Keeps the session from wrapping the event as [`Event::InAgent`](super::Event::InAgent) when the handle of an agent sends
    /// it, because its value names the agent itself.
    #[must_use]
    pub fn untagged(self) -> LayerEvent {
        LayerEvent { is_untagged: true, ..self }
    }

    /// Returns `true` after [`LayerEvent::untagged`].
    pub(super) fn is_untagged(&self) -> bool {
        self.is_untagged
    }

    /// Returns the value; `None` if it has another type.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        let value: &dyn Any = &*self.value;
        value.downcast_ref()
    }
}
