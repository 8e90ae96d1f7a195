package dev.sluice.engine.endtoend;

/** A task of MariaDB whose daemon is killed before it stops. */
class MariadbStopKillTest extends BinlogStopKill {
  MariadbStopKillTest() {
    super(ShopServer.MARIADB);
  }
}
