package dev.sluice.target.mariadb;

import dev.sluice.load.target.LoadContractLab;
import dev.sluice.load.target.TableContractTest;

class MariadbTableContractTest extends TableContractTest {

  @Override
  protected LoadContractLab lab() {
    return MariadbLoadLab.open();
  }
}
