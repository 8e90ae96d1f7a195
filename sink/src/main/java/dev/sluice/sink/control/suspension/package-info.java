/** Suspended tables and their resync. Imports {@code sink.control.position}. */
package dev.sluice.sink.control.suspension;
