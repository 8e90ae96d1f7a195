package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.OnMysql;

/** The same with MySQL, where the plugin is there. */
@OnMysql
class MysqlSemiSyncTest extends SemiSyncTest {}
