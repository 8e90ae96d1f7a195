/**
 * What all parts of a running task share: servers, phase, settings, counters. Imports no other part
 * of the daemon but {@code engine.load} and {@code engine.status}.
 */
package dev.sluice.engine.context;
