/**
 * One session of a comparison: some tables of both sides, read under two snapshots that live for
 * seconds while data flows, exactly. Imports {@code connector.api.comparison}.
 */
package dev.sluice.engine.validate.session;
