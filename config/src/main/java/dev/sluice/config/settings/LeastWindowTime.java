package dev.sluice.config.settings;

import java.time.Duration;

/** The least time between two windows with changes. Immutable. */
public sealed interface LeastWindowTime {

  /** Chosen for each window from what is measured. */
  LeastWindowTime AUTO = new Auto();

  /** The same for each window. */
  static LeastWindowTime of(Duration time) {
    return new Fixed(time);
  }

  /** The same for each window. */
  record Fixed(Duration time) implements LeastWindowTime {}

  /** Chosen for each window. */
  record Auto() implements LeastWindowTime {}
}
