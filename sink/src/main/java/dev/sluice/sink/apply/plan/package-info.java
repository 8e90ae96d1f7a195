/**
 * Plans of target tables, and the session that applies changes to them. Imports {@code sink.target}
 * and {@code sink.apply.ddl}.
 */
package dev.sluice.sink.apply.plan;
