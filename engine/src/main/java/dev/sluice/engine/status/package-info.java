/**
 * The status: its form, the HTTP server, metrics, the token that commands need. Imports {@code
 * config}.
 */
package dev.sluice.engine.status;
