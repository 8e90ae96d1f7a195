package dev.sluice.bench.mariadb;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The nine tables of TPC-C, with fewer columns of text, and its two transactions that write most,
 * in their proportion: new orders of five to fifteen lines, and payments. A payment has a number,
 * since rows of a log need a key. It is no TPC-C: nobody waits, and no order is delivered.
 */
public final class OrderEntry extends SourceWorkload {
  private static final int ROWS_OF_A_WAREHOUSE = 100_000;
  private static final int DISTRICTS = 10;

  private static final String[] TABLES = {
    "CREATE TABLE warehouse (w_id int PRIMARY KEY, w_name varchar(10) NOT NULL, w_tax decimal(4,4) NOT NULL, w_ytd decimal(12,2) NOT NULL)",
    "CREATE TABLE district (d_w_id int, d_id int, d_name varchar(10) NOT NULL, d_tax decimal(4,4) NOT NULL, d_ytd decimal(12,2) NOT NULL, d_next_o_id int NOT NULL, PRIMARY KEY (d_w_id, d_id))",
    "CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_last varchar(16) NOT NULL, c_credit char(2) NOT NULL, c_balance decimal(12,2) NOT NULL, c_ytd_payment decimal(12,2) NOT NULL, c_payment_cnt int NOT NULL, c_data varchar(500) NOT NULL, PRIMARY KEY (c_w_id, c_d_id, c_id), KEY by_name (c_w_id, c_d_id, c_last))",
    "CREATE TABLE history (h_id bigint AUTO_INCREMENT PRIMARY KEY, h_c_w_id int NOT NULL, h_c_d_id int NOT NULL, h_c_id int NOT NULL, h_date datetime NOT NULL, h_amount decimal(6,2) NOT NULL)",
    "CREATE TABLE orders (o_w_id int, o_d_id int, o_id int, o_c_id int NOT NULL, o_entry_d datetime NOT NULL, o_ol_cnt int NOT NULL, PRIMARY KEY (o_w_id, o_d_id, o_id), KEY by_customer (o_w_id, o_d_id, o_c_id, o_id))",
    "CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id))",
    "CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int NOT NULL, ol_quantity int NOT NULL, ol_amount decimal(8,2) NOT NULL, ol_dist_info varchar(24) NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))",
    "CREATE TABLE item (i_id int PRIMARY KEY, i_name varchar(24) NOT NULL, i_price decimal(5,2) NOT NULL)",
    "CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int NOT NULL, s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_data varchar(50) NOT NULL, PRIMARY KEY (s_w_id, s_i_id))"
  };

  private static final String TRANSACTIONS =
      """
      CREATE PROCEDURE write_orders(transactions int)
      BEGIN
        DECLARE i int DEFAULT 0;
        DECLARE changes bigint DEFAULT 0;
        DECLARE w, d, c, o, item, line, wanted, bought int;
        DECLARE paid decimal(6,2);
        WHILE i < transactions DO
          SET w = 1 + floor(rand() * %1$d), d = 1 + floor(rand() * %2$d), c = 1 + floor(rand() * %3$d);
          START TRANSACTION;
          IF rand() * 88 < 45 THEN
            SELECT d_next_o_id INTO o FROM district WHERE d_w_id = w AND d_id = d FOR UPDATE;
            UPDATE district SET d_next_o_id = o + 1 WHERE d_w_id = w AND d_id = d;
            SET wanted = 5 + floor(rand() * 11), line = 1;
            INSERT INTO orders VALUES (w, d, o, c, now(), wanted);
            INSERT INTO new_order VALUES (w, d, o);
            WHILE line <= wanted DO
              SET item = 1 + floor(rand() * %4$d), bought = 1 + floor(rand() * 10);
              UPDATE stock SET s_quantity = if(s_quantity > bought + 10, s_quantity - bought, s_quantity - bought + 91),
                s_ytd = s_ytd + bought, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = w AND s_i_id = item;
              INSERT INTO order_line SELECT w, d, o, line, item, bought, bought * i_price, left(left(sha2(item, 256), 32), 24)
                FROM item WHERE i_id = item;
              SET line = line + 1;
            END WHILE;
            SET changes = changes + 3 + 2 * wanted;
          ELSE
            SET paid = 1 + rand() * 4999;
            UPDATE warehouse SET w_ytd = w_ytd + paid WHERE w_id = w;
            UPDATE district SET d_ytd = d_ytd + paid WHERE d_w_id = w AND d_id = d;
            UPDATE customer SET c_balance = c_balance - paid, c_ytd_payment = c_ytd_payment + paid,
              c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = w AND c_d_id = d AND c_id = c;
            INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_date, h_amount) VALUES (w, d, c, now(), paid);
            SET changes = changes + 4;
          END IF;
          COMMIT;
          SET i = i + 1;
        END WHILE;
        SELECT changes;
      END
      """;

  private final int warehouses;
  private final int items;
  private final int customers;

  /**
   * @param rows of all tables together, about
   */
  public OrderEntry(EmbeddedServer server, String database, int rows) {
    super(server, database);
    this.warehouses = Math.max(1, rows / ROWS_OF_A_WAREHOUSE);
    this.items = Math.max(20, rows / warehouses / 2);
    this.customers = Math.max(5, rows / warehouses / (4 * DISTRICTS));
  }

  @Override
  public String description() {
    return "nine tables as TPC-C's, %d warehouses of %,d customers and %,d items"
        .formatted(warehouses, DISTRICTS * customers, items);
  }

  @Override
  public long count() {
    long ofEach = 1 + DISTRICTS + (long) DISTRICTS * customers + items;
    return warehouses * ofEach + items;
  }

  @Override
  void fill(Statement statement) throws SQLException {
    for (String table : TABLES) {
      statement.execute(table);
    }
    String warehouse = numbers(warehouses) + " w";
    String district = numbers(DISTRICTS) + " d";
    statement.execute(
        "INSERT INTO warehouse SELECT seq, concat('w', seq), 0.1, 300000 FROM " + warehouse);
    statement.execute(
        "INSERT INTO district SELECT w.seq, d.seq, concat('d', d.seq), 0.05, 30000, 1 FROM %s JOIN %s"
            .formatted(warehouse, district));
    statement.execute(
        "INSERT INTO customer SELECT w.seq, d.seq, c.seq, concat('last', c.seq %% 1000), 'GC', -10, 10, 1, repeat(left(sha2(c.seq, 256), 32), 12) FROM %s JOIN %s JOIN %s c"
            .formatted(warehouse, district, numbers(customers)));
    statement.execute(
        "INSERT INTO item SELECT seq, concat('item ', seq), 1 + seq % 100 FROM "
            + numbers(items)
            + " i");
    statement.execute(
        "INSERT INTO stock SELECT w.seq, i.seq, 50, 0, 0, left(sha2(i.seq, 256), 32) FROM %s JOIN %s i"
            .formatted(warehouse, numbers(items)));
    statement.execute(TRANSACTIONS.formatted(warehouses, DISTRICTS, customers, items));
  }

  @Override
  long change(Statement statement, int transactions) throws SQLException {
    try (ResultSet changes = statement.executeQuery("CALL write_orders(" + transactions + ")")) {
      changes.next();
      return changes.getLong(1);
    }
  }

  @Override
  Map<String, String> rows() {
    Map<String, String> queries = new LinkedHashMap<>();
    query(queries, "warehouse", "w_id, w_name, w_tax, w_ytd", "w_id");
    query(queries, "district", "d_w_id, d_id, d_name, d_tax, d_ytd, d_next_o_id", "d_w_id, d_id");
    query(
        queries,
        "customer",
        "c_w_id, c_d_id, c_id, c_last, c_credit, c_balance, c_ytd_payment, c_payment_cnt, c_data",
        "c_w_id, c_d_id, c_id");
    query(
        queries,
        "history",
        "h_id, h_c_w_id, h_c_d_id, h_c_id, concat('', h_date), h_amount",
        "h_id");
    query(
        queries,
        "orders",
        "o_w_id, o_d_id, o_id, o_c_id, concat('', o_entry_d), o_ol_cnt",
        "o_w_id, o_d_id, o_id");
    query(queries, "new_order", "no_w_id, no_d_id, no_o_id", "no_w_id, no_d_id, no_o_id");
    query(
        queries,
        "order_line",
        "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_quantity, ol_amount, ol_dist_info",
        "ol_w_id, ol_d_id, ol_o_id, ol_number");
    query(queries, "item", "i_id, i_name, i_price", "i_id");
    query(
        queries,
        "stock",
        "s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_data",
        "s_w_id, s_i_id");
    return queries;
  }

  private void query(Map<String, String> queries, String table, String columns, String key) {
    queries.put(
        table, "SELECT %s FROM %s.%s ORDER BY %s".formatted(columns, database(), table, key));
  }
}
