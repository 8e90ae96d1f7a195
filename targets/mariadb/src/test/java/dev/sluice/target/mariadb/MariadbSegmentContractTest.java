package dev.sluice.target.mariadb;

import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.SegmentContractTest;

class MariadbSegmentContractTest extends SegmentContractTest {

  @Override
  protected LoadContractLab lab() {
    return MariadbLoadLab.open();
  }
}
