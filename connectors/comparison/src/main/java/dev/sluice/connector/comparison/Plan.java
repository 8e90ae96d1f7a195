package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.KeyRange;

/** How the server should find the rows of a read, since its statistics may be wrong. */
enum Plan {
  /** A range of an index. */
  INDEX("SET LOCAL enable_seqscan = off"),
  /** One search in an index for each key. */
  LOOKUP(
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
          + " SET LOCAL enable_mergejoin = off"),
  /** All rows, without an index: it may be corrupt. */
  SCAN(
      "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off;"
          + " SET LOCAL enable_bitmapscan = off; SET LOCAL enable_nestloop = off"),
  /** The rows of some pages, without an index. */
  PAGES(
      "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off;"
          + " SET LOCAL enable_bitmapscan = off; SET LOCAL enable_nestloop = off;"
          + " SET LOCAL enable_seqscan = off"),
  /** Chosen by the server. */
  ANY("SET LOCAL enable_seqscan = on");

  private final String settings;

  Plan(String settings) {
    this.settings = settings;
  }

  /** For the rows of a chunk. */
  static Plan of(ChunkBounds bounds) {
    return bounds instanceof KeyRange ? INDEX : SCAN;
  }

  /** The statements for a transaction. */
  String settings() {
    return settings;
  }
}
