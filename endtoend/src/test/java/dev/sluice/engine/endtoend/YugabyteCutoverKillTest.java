package dev.sluice.engine.endtoend;

import dev.sluice.engine.MovedSides;
import dev.sluice.engine.ToYugabyte;

/** The same onto a target that is as strict as YugabyteDB. */
class YugabyteCutoverKillTest extends CutoverKills {

  @Override
  MovedSides servers() throws Exception {
    return new ToYugabyte();
  }
}
