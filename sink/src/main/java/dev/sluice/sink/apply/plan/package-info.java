/**
 * What the target's tables look like, and the session that applies. Imports {@code sink.target} and
 * {@code sink.apply.ddl}.
 */
package dev.sluice.sink.apply.plan;
