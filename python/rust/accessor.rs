//! The namespaces `keylane` of series and of expressions. Their methods are functions of C, so that no frame of Python
//! holds a key, and errors that are shown with local variables show none.

use crate::column;
use crate::key::for_expressions;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

/// What `Series.keylane` has, in pandas and in Polars.
#[pyclass(frozen, subclass, module = "keylane._keylane")]
pub struct SeriesAccessor(Py<PyAny>);

#[pymethods]
impl SeriesAccessor {
    #[new]
    #[pyo3(signature = (series, /))]
    fn new(series: Py<PyAny>) -> Self {
        SeriesAccessor(series)
    }

    /// See `keylane.hash_column`.
    #[pyo3(signature = (
        key, alg = "siphash-1-3-64", *, nulls = "keep", form = None, threads = 1, context = None,
    ))]
    #[expect(clippy::too_many_arguments)]
    fn hash<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        alg: &str,
        nulls: &str,
        form: Option<&str>,
        threads: isize,
        context: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        column::hash_column(self.0.bind(py), key, alg, nulls, form, threads, context)
    }

    /// See `keylane.pseudonymize`.
    #[pyo3(signature = (
        key, alg = "siphash-2-4-128", *, nulls = "keep", form = "hex", threads = 1, context = None,
    ))]
    #[expect(clippy::too_many_arguments)]
    fn pseudonymize<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        alg: &str,
        nulls: &str,
        form: &str,
        threads: isize,
        context: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        column::pseudonymize(self.0.bind(py), key, alg, nulls, form, threads, context)
    }

    /// See `keylane.sample`: a series of bool that chooses rows.
    #[pyo3(signature = (key, fraction, *, threads = 1, context = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        fraction: f64,
        threads: isize,
        context: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        column::sample(self.0.bind(py), key, fraction, threads, context)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// What `pl.col(...).keylane` has.
#[pyclass(frozen, subclass, module = "keylane._keylane")]
pub struct ExprAccessor(Py<PyAny>);

#[pymethods]
impl ExprAccessor {
    #[new]
    #[pyo3(signature = (expr, /))]
    fn new(expr: Py<PyAny>) -> Self {
        ExprAccessor(expr)
    }

    /// The tags of a column under the key of this name.
    #[pyo3(signature = (key, alg = "siphash-1-3-64", *, form = None, nulls = "keep", context = None))]
    fn hash<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        alg: &str,
        form: Option<&str>,
        nulls: &str,
        context: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = (self.0.clone_ref(py), for_expressions(key, context)?, alg, form, nulls, false);
        call(py, "_column", arguments)
    }

    /// Pseudonyms: tags of 128 bits. Anything less is refused.
    #[pyo3(signature = (key, alg = "siphash-2-4-128", *, form = "hex", nulls = "keep", context = None))]
    fn pseudonymize<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        alg: &str,
        form: &str,
        nulls: &str,
        context: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let key = for_expressions(key, context)?;
        if alg != "siphash-2-4-128" {
            let reason = "pseudonyms have siphash-2-4-128; use hash for anything less";
            return Err(PyValueError::new_err(reason));
        }
        call(py, "_column", (self.0.clone_ref(py), key, alg, Some(form), nulls, true))
    }

    /// Whether a row is in the sample. Equal values share the answer; a null is never in it.
    #[pyo3(signature = (key, fraction, *, context = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        fraction: &Bound<'py, PyAny>,
        context: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(py, "_sample", (self.0.clone_ref(py), for_expressions(key, context)?, fraction))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// One tag for the values of these columns, row by row: an expression for Polars.
#[pyfunction]
#[pyo3(signature = (columns, key, alg = "siphash-1-3-64", *, form = None, nulls = "keep", context = None))]
pub fn rows_expression<'py>(
    columns: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    alg: &str,
    form: Option<&str>,
    nulls: &str,
    context: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    call(columns.py(), "_rows", (columns, for_expressions(key, context)?, alg, form, nulls))
}

/// Calls a function of `keylane.polars`, which gets the name of a key.
fn call<'py>(
    py: Python<'py>,
    function: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("keylane.polars")?.getattr(function)?.call1(arguments)
}
