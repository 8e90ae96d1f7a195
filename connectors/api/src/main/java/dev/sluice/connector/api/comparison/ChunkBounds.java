package dev.sluice.connector.api.comparison;

/** The part of a table's rows that a chunk has. Immutable. */
public sealed interface ChunkBounds permits KeyRange, KeyBuckets, WholeTable {}
