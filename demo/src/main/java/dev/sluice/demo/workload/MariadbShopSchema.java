package dev.sluice.demo.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The tables of {@link ShopSchema} in a MariaDB database of that schema's name, with types that
 * only MariaDB has. The history has a key: rows without one cannot be followed in its log.
 * Stateless.
 */
public final class MariadbShopSchema {
  private static final List<String> STATEMENTS =
      List.of(
          """
          CREATE TABLE warehouse (
            w_id int PRIMARY KEY,
            w_name varchar(10) NOT NULL,
            w_tax decimal(4,4) NOT NULL,
            w_ytd decimal(14,2) NOT NULL)\
          """,
          """
          CREATE TABLE district (
            d_w_id int,
            d_id smallint,
            d_name varchar(10) NOT NULL,
            d_tax decimal(4,4) NOT NULL,
            d_ytd decimal(14,2) NOT NULL,
            d_next_o_id int unsigned NOT NULL,
            PRIMARY KEY (d_w_id, d_id),
            FOREIGN KEY (d_w_id) REFERENCES warehouse (w_id))\
          """,
          // PostgreSQL, too, tells addresses apart by their bytes.
          """
          CREATE TABLE customer (
            c_w_id int,
            c_d_id smallint,
            c_id int,
            c_email varchar(80) COLLATE utf8mb4_nopad_bin NOT NULL UNIQUE,
            c_last varchar(16) NOT NULL,
            c_since timestamp(6) NOT NULL DEFAULT current_timestamp(6),
            c_credit enum('GC','BC') NOT NULL,
            c_balance decimal(12,2) NOT NULL,
            c_payment_cnt int NOT NULL,
            c_delivery_cnt int NOT NULL,
            c_data longtext,
            PRIMARY KEY (c_w_id, c_d_id, c_id),
            FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id))\
          """,
          """
          CREATE TABLE history (
            h_id bigint unsigned AUTO_INCREMENT PRIMARY KEY,
            h_c_id int, h_c_d_id smallint, h_c_w_id int,
            h_date datetime NOT NULL,
            h_amount decimal(6,2) NOT NULL,
            h_data text,
            KEY of_district (h_c_w_id, h_c_d_id))\
          """,
          """
          CREATE TABLE item (
            i_id int PRIMARY KEY,
            i_name varchar(24) NOT NULL,
            i_price decimal(5,2) NOT NULL,
            i_tags json NOT NULL,
            i_rank int UNIQUE)\
          """,
          """
          CREATE TABLE stock (
            s_w_id int,
            s_i_id int,
            s_quantity int NOT NULL,
            s_ytd bigint NOT NULL,
            s_order_cnt int NOT NULL,
            s_info json NOT NULL,
            PRIMARY KEY (s_w_id, s_i_id),
            FOREIGN KEY (s_w_id) REFERENCES warehouse (w_id),
            FOREIGN KEY (s_i_id) REFERENCES item (i_id))\
          """,
          """
          CREATE TABLE orders (
            o_w_id int,
            o_d_id smallint,
            o_id int,
            o_c_id int NOT NULL,
            o_number bigint NOT NULL AUTO_INCREMENT UNIQUE,
            o_entry_d timestamp(6) NOT NULL,
            o_carrier_id int,
            o_ol_cnt int NOT NULL,
            PRIMARY KEY (o_w_id, o_d_id, o_id),
            FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id))\
          """,
          """
          CREATE TABLE new_order (
            no_w_id int,
            no_d_id smallint,
            no_o_id int,
            PRIMARY KEY (no_w_id, no_d_id, no_o_id),
            FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id))\
          """,
          """
          CREATE TABLE order_line (
            ol_w_id int,
            ol_d_id smallint,
            ol_o_id int,
            ol_number int,
            ol_i_id int NOT NULL,
            ol_delivery_d timestamp(6) NULL,
            ol_quantity int NOT NULL,
            ol_amount decimal(8,2) NOT NULL,
            PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number),
            FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders (o_w_id, o_d_id, o_id),
            FOREIGN KEY (ol_w_id, ol_i_id) REFERENCES stock (s_w_id, s_i_id))\
          """);

  private MariadbShopSchema() {}

  /** Creates the tables in the connection's database. */
  public static void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : STATEMENTS) {
        statement.execute(sql);
      }
    }
  }
}
