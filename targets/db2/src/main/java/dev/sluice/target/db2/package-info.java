/**
 * Db2 as a target, experimental: sessions, errors, and the statements that stage rows and apply
 * changes. Imports {@code sink.target} and the packages below it.
 */
package dev.sluice.target.db2;
