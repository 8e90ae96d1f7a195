/**
 * Control tables for users: rejected changes and the status. Imports {@code sink.control.schema}.
 */
package dev.sluice.sink.control.report;
