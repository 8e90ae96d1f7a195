package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.now;
import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.POSITION;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.TEXTS;
import static dev.sluice.sink.target.control.ControlType.TIME;
import static dev.sluice.sink.target.control.ControlType.UUID;

import java.util.List;

/** Control tables by which a task and its way back know of each other. */
public final class FallbackTables {
  /**
   * The state of an armed way back, written by its daemon into the schema of the task. The column
   * {@code armed} tells one stretch of kept log from another.
   */
  public static final ControlTable STATE =
      ControlTable.of(
              "fallback_state",
              List.of("task"),
              required("task", NAME),
              required("armed", UUID),
              now("seen_at"),
              required("covered", TEXTS),
              optional("round_trip", LONG),
              optional("problem", TEXT),
              optional("seen", UUID),
              optional("since", TIME),
              optional("canary_at", TIME))
          .oftenUpdated();

  /** The cutovers of a task with a way back, each with the position of the switch. */
  public static final ControlTable SWITCH =
      ControlTable.of(
          "fallback_switch",
          List.of("task", "cutover"),
          required("task", NAME),
          required("cutover", UUID),
          required("state", TEXT),
          optional("position", POSITION),
          now("at"));

  /** What came back: the last canary, written by the role that applies the way back. */
  public static final ControlTable CANARY =
      ControlTable.of(
              "fallback_canary",
              List.of("task"),
              required("task", NAME),
              required("canary", UUID),
              now("at"))
          .oftenUpdated();

  private FallbackTables() {}
}
