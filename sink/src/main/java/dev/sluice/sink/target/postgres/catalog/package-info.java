/**
 * PostgreSQL as a target: what its catalog says about tables, rights and definitions. Imports
 * {@code config}, {@code connector.api} and {@code sink.target}.
 */
package dev.sluice.sink.target.postgres.catalog;
