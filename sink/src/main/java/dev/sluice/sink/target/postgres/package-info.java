/**
 * PostgreSQL as a target: the dialect's sessions, bulk load and statements. Imports {@code config},
 * {@code connector.api} and {@code sink.target}.
 */
package dev.sluice.sink.target.postgres;
