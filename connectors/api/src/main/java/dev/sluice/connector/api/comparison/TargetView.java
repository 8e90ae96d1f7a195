package dev.sluice.connector.api.comparison;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/** A snapshot of the target. */
public interface TargetView extends SideView {

  /** The checkpoint as the snapshot shows it; empty if there is none. */
  Optional<Position> checkpoint();
}
