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
   * The name of one of several parallel lanes.
   *
   * @param number from 2; the main lane is the first
   */
  public static LaneId parallel(int number) {
    return new LaneId(PARALLEL + number);
  }

  /** The name of the lane in which one source table catches up with the others. */
  public static LaneId catchUp(TableId table) {
    return new LaneId(CATCH_UP + table.quoted());
  }

  public boolean isMain() {
    return equals(MAIN);
  }

  /** True for a lane that runs beside the main lane all the time. */
  public boolean isParallel() {
    return text.startsWith(PARALLEL);
  }

  /** True for a lane in which one table catches up with the others. */
  public boolean catchesUp() {
    return text.startsWith(CATCH_UP);
  }

  @Override
  public String toString() {
    return isMain() ? "main lane" : text;
  }
}
