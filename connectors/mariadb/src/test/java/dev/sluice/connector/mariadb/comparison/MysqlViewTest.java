package dev.sluice.connector.mariadb.comparison;

import dev.sluice.connector.mariadb.OnMysql;

/** The same with MySQL. */
@OnMysql
class MysqlViewTest extends MariadbViewTest {}
