package dev.sluice.connector.mariadb.log;

import dev.sluice.connector.mariadb.OnMysql;

/** The same with MySQL. */
@OnMysql
class MysqlGtidStartTest extends GtidStartTest {}
