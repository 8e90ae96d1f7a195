package dev.sluice.sink.lane;

import dev.sluice.config.TableId;
import java.util.Objects;

/** The name of a lane within its task. Immutable. */
public record LaneId(String text) {
  private static final String PARALLEL = "lane ";
  private static final String CATCH_UP = "catch-up ";

  /** The lane of all tables that no other lane has. */
  public static final LaneId MAIN = new LaneId("main");

  public LaneId {
    Objects.requireNonNull(text, "text");
  }

  /**
   * One of several that apply beside each other.
   *
   * @param number from 2; the main lane is the first
   */
  public static LaneId parallel(int number) {
    return new LaneId(PARALLEL + number);
  }

  /** The lane of one source table that catches up with the others. */
  public static LaneId catchUp(TableId table) {
    return new LaneId(CATCH_UP + table.quoted());
  }

  public boolean isMain() {
    return equals(MAIN);
  }

  /** Whether it stands beside the main lane all the time. */
  public boolean isParallel() {
    return text.startsWith(PARALLEL);
  }

  @Override
  public String toString() {
    return text;
  }
}
