package dev.sluice.engine.validate.followed;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;

/** Since when the changes of each table are known. */
public interface Following {

  /** The checkpoint from which changes are recorded now. */
  Position recordedFrom();

  /**
   * Whether each change of a table is known that a pass may lack.
   *
   * @param pass the position at which the pass began
   */
  boolean isKnownSince(TableId table, Position pass);

  /** Whether it is not known yet what an earlier daemon has followed of the table. */
  boolean isPending(TableId table);

  /** The changes of every table are known from one position on. */
  static Following from(Position start) {
    return new Following() {
      @Override
      public Position recordedFrom() {
        return start;
      }

      @Override
      public boolean isKnownSince(TableId table, Position pass) {
        return !start.isAfter(pass);
      }

      @Override
      public boolean isPending(TableId table) {
        return false;
      }
    };
  }
}
