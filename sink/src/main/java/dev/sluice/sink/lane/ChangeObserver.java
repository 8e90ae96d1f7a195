package dev.sluice.sink.lane;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.TransactionEnd;

/** Sees the changes of a transaction while they are decoded for a window. */
public interface ChangeObserver {
  ChangeObserver NONE =
      new ChangeObserver() {
        @Override
        public void observe(ChangeEvent change) {}

        @Override
        public void complete() {}
      };

  /** Called for each taken change, in order. */
  void observe(ChangeEvent change);

  /** Called after the last one, before the transaction can be applied. */
  void complete();

  /** Makes an observer for each transaction. Called by the threads that decode. */
  interface Factory {
    Factory NONE = end -> ChangeObserver.NONE;

    ChangeObserver of(TransactionEnd end);
  }
}
