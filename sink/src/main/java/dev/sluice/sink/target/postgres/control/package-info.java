/**
 * PostgreSQL as a target: control tables and named locks. Imports {@code config} and {@code
 * sink.target.control}.
 */
package dev.sluice.sink.target.postgres.control;
