/** Suspended tables, and their way back. Imports {@code sink.control.position}. */
package dev.sluice.sink.control.suspension;
