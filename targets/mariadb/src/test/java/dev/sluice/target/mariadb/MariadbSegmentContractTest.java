package dev.sluice.target.mariadb;

import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.SegmentContractTest;
import dev.sluice.target.mariadb.server.ServerKind;

class MariadbSegmentContractTest extends SegmentContractTest {

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @Override
  protected LoadContractLab lab() {
    return MariadbLoadLab.open(kind());
  }
}
