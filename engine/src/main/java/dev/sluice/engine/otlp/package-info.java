/**
 * Pushes the metrics to an endpoint that speaks OTLP, if a setting names one. Imports {@code
 * engine.context} and {@code engine.status}.
 */
package dev.sluice.engine.otlp;
