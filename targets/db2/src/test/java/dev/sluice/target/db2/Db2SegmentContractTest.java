package dev.sluice.target.db2;

import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.SegmentContractTest;

class Db2SegmentContractTest extends SegmentContractTest {

  @Override
  protected LoadContractLab lab() {
    return Db2LoadLab.open();
  }
}
