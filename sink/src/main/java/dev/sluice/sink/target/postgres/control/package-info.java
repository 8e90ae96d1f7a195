/**
 * PostgreSQL as a target: control tables and locks by name. Imports {@code config} and {@code
 * sink.target.control}.
 */
package dev.sluice.sink.target.postgres.control;
