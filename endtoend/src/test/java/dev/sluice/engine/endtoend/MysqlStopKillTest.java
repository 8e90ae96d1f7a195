package dev.sluice.engine.endtoend;

/** A task of MySQL whose daemon is killed before it stops. */
class MysqlStopKillTest extends BinlogStopKill {
  MysqlStopKillTest() {
    super(ShopServer.MYSQL);
  }
}
