package dev.sluice.connector.api.comparison;

/** All rows of a table. */
public record WholeTable() implements ChunkBounds {
  public static final WholeTable INSTANCE = new WholeTable();
}
