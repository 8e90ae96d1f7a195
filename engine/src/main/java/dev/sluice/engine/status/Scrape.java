package dev.sluice.engine.status;

/** What one page of metrics shows, taken at one moment. Immutable. */
public record Scrape(TaskStatus status, TaskMeasurements measured) {}
