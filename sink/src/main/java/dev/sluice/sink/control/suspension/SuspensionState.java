package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.Arrays;
import java.util.Locale;

/** The state of a suspended table. */
public enum SuspensionState {
  /** It waits for the commands resume or reload. */
  SUSPENDED,
  /** Its rows are copied again, under a new snapshot. */
  RELOADING,
  /** Its missing changes are applied from the journal, until it has reached its lane. */
  CATCHING_UP;

  /** The name in the control table, such as {@code catching-up}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Reads the state of a table.
   *
   * @param text as in the control table
   * @throws SluiceException.Fatal if it is none of them
   */
  static SuspensionState of(TableId table, String text) {
    return Arrays.stream(values())
        .filter(state -> state.text().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new SluiceException.Fatal(
                    new Problem(
                        "suspended table " + table,
                        "its state on the target is " + text,
                        "one of " + Arrays.stream(values()).map(SuspensionState::text).toList(),
                        "Another version of Sluice has written it: run the task with that"
                            + " version")));
  }
}
