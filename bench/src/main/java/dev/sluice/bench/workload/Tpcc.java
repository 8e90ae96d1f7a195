package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.SQLException;
import java.util.List;

/**
 * Nine tables like those of TPC-C, smaller, and its five kinds of transactions in their usual mix:
 * of a hundred, 45 new orders, 43 payments, and 4 each of deliveries, order states and stock levels
 * (the last two only read). Transactions never wait for each other in a circle: all take their rows
 * in the same order. Stateless.
 */
public final class Tpcc {
  /** Three sets, for the split in three tasks. */
  public static final List<List<String>> SETS =
      List.of(
          List.of("order_line", "item", "warehouse"),
          List.of("stock", "new_order", "history"),
          List.of("customer", "orders", "district"));

  public static final List<String> TABLES = SETS.stream().flatMap(List::stream).toList();

  private static final int ITEMS = 10_000;
  private static final int DISTRICTS = 10;
  private static final int CUSTOMERS = 300;

  private Tpcc() {}

  /**
   * Makes tables and rows, the same on source and target.
   *
   * @param warehouses each with ten districts, 3,000 customers and 10,000 items in stock
   */
  public static void createTables(Database database, int warehouses) throws SQLException {
    database.execute(
        "CREATE TABLE warehouse (w_id int PRIMARY KEY, w_name text, w_tax numeric(4,4), w_ytd"
            + " numeric(12,2)) WITH (fillfactor=50)",
        "CREATE TABLE district (d_w_id int, d_id int, d_name text, d_tax numeric(4,4), d_ytd"
            + " numeric(12,2), d_next_o_id int, PRIMARY KEY (d_w_id, d_id)) WITH (fillfactor=50)",
        "CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_last text, c_credit char(2),"
            + " c_balance numeric(12,2), c_ytd_payment numeric(12,2), c_payment_cnt int,"
            + " c_delivery_cnt int, c_data text, PRIMARY KEY (c_w_id, c_d_id, c_id))",
        "CREATE TABLE history (h_c_w_id int, h_c_d_id int, h_c_id int, h_date timestamptz,"
            + " h_amount numeric(6,2), h_data text)",
        "ALTER TABLE history REPLICA IDENTITY FULL",
        "CREATE TABLE item (i_id int PRIMARY KEY, i_name text, i_price numeric(5,2), i_data text)",
        "CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int, s_ytd numeric(8,0),"
            + " s_order_cnt int, s_data text, PRIMARY KEY (s_w_id, s_i_id)) WITH (fillfactor=80)",
        "CREATE TABLE orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamptz,"
            + " o_carrier_id int, o_ol_cnt int, PRIMARY KEY (o_w_id, o_d_id, o_id))",
        "CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int,"
            + " PRIMARY KEY (no_w_id, no_d_id, no_o_id))",
        "CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id"
            + " int, ol_delivery_d timestamptz, ol_quantity int, ol_amount numeric(8,2),"
            + " ol_dist_info text, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))");
    database.execute(
        ("INSERT INTO warehouse SELECT w, 'w' || w, 0.1, 0 FROM generate_series(1, %1$d) w;"
                + "INSERT INTO district SELECT w, d, 'd' || d, 0.1, 0, 1"
                + " FROM generate_series(1, %1$d) w, generate_series(1, %2$d) d;"
                + "INSERT INTO customer SELECT w, d, c, md5(c::text), 'GC', 0, 0, 0, 0,"
                + " repeat(md5((w * d * c)::text), 8) FROM generate_series(1, %1$d) w,"
                + " generate_series(1, %2$d) d, generate_series(1, %3$d) c;"
                + "INSERT INTO item SELECT i, 'item ' || i, i %% 100 + 0.5, md5(i::text)"
                + " FROM generate_series(1, %4$d) i;"
                + "INSERT INTO stock SELECT w, i, 50, 0, 0, repeat(md5(i::text), 8)"
                + " FROM generate_series(1, %1$d) w, generate_series(1, %4$d) i;")
            .formatted(warehouses, DISTRICTS, CUSTOMERS, ITEMS),
        "ANALYZE");
  }

  /** Makes the procedure that one connection calls to work for some time. */
  public static void createWorkload(Database source, int warehouses) throws SQLException {
    source.execute(NEW_ORDER.formatted(ITEMS), PAYMENT, DELIVERY, READS);
    source.execute(RUN.formatted(warehouses, DISTRICTS, CUSTOMERS));
  }

  private static final String NEW_ORDER =
      """
      CREATE FUNCTION tpcc_new_order(w int, d int, c int) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE o int; items int[]; price numeric; n int := 0; quantity int;
      BEGIN
        SELECT array_agg(i ORDER BY i) INTO items FROM (SELECT DISTINCT
          1 + floor(random() * %d)::int i FROM generate_series(1, 5 + floor(random() * 11)::int)) s;
        UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = w AND d_id = d
          RETURNING d_next_o_id - 1 INTO o;
        INSERT INTO orders VALUES (w, d, o, c, clock_timestamp(), NULL, cardinality(items));
        INSERT INTO new_order VALUES (w, d, o);
        FOR n IN 1..cardinality(items) LOOP
          quantity := 1 + floor(random() * 10);
          SELECT i_price INTO price FROM item WHERE i_id = items[n];
          UPDATE stock SET s_quantity = CASE WHEN s_quantity > quantity + 10
              THEN s_quantity - quantity ELSE s_quantity - quantity + 91 END,
            s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1
            WHERE s_w_id = w AND s_i_id = items[n];
          INSERT INTO order_line VALUES (w, d, o, n, items[n], NULL, quantity, quantity * price,
            'from district ' || d);
        END LOOP;
      END $$""";

  private static final String PAYMENT =
      """
      CREATE FUNCTION tpcc_payment(w int, d int, c int) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE amount numeric(6,2) := 1 + random() * 4999;
      BEGIN
        UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = w;
        UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = w AND d_id = d;
        UPDATE customer SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
          c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = w AND c_d_id = d AND c_id = c;
        INSERT INTO history VALUES (w, d, c, clock_timestamp(), amount, 'paid in ' || w);
      END $$""";

  private static final String DELIVERY =
      """
      CREATE FUNCTION tpcc_delivery(w int) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE o int; c int; total numeric;
      BEGIN
        FOR d IN 1..10 LOOP
          SELECT no_o_id INTO o FROM new_order WHERE no_w_id = w AND no_d_id = d
            ORDER BY no_o_id LIMIT 1 FOR UPDATE SKIP LOCKED;
          CONTINUE WHEN NOT FOUND;
          DELETE FROM new_order WHERE no_w_id = w AND no_d_id = d AND no_o_id = o;
          UPDATE orders SET o_carrier_id = 1 WHERE o_w_id = w AND o_d_id = d AND o_id = o
            RETURNING o_c_id INTO c;
          UPDATE order_line SET ol_delivery_d = clock_timestamp()
            WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o;
          SELECT sum(ol_amount) INTO total FROM order_line
            WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o;
          UPDATE customer SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = w AND c_d_id = d AND c_id = c;
        END LOOP;
      END $$""";

  private static final String READS =
      """
      CREATE FUNCTION tpcc_reads(w int, d int, c int) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM c_balance FROM customer WHERE c_w_id = w AND c_d_id = d AND c_id = c;
        PERFORM count(*) FROM order_line JOIN stock ON s_w_id = w AND s_i_id = ol_i_id
          WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id >=
            (SELECT d_next_o_id - 20 FROM district WHERE d_w_id = w AND d_id = d)
            AND s_quantity < 15;
      END $$""";

  private static final String RUN =
      """
      CREATE PROCEDURE tpcc_run(until timestamptz, per_second float8, INOUT transactions bigint)
      LANGUAGE plpgsql AS $$
      DECLARE w int; d int; c int; kind float8; begun timestamptz := clock_timestamp();
        ahead float8;
      BEGIN
        transactions := 0;
        WHILE clock_timestamp() < until LOOP
          w := 1 + floor(random() * %d);
          d := 1 + floor(random() * %d);
          c := 1 + floor(random() * %d);
          kind := random();
          IF kind < 0.45 THEN
            PERFORM tpcc_new_order(w, d, c);
          ELSIF kind < 0.88 THEN
            PERFORM tpcc_payment(w, d, c);
          ELSIF kind < 0.92 THEN
            PERFORM tpcc_delivery(w);
          ELSE
            PERFORM tpcc_reads(w, d, c);
          END IF;
          COMMIT;
          transactions := transactions + 1;
          IF per_second > 0 THEN
            ahead := transactions / per_second
              - extract(epoch FROM clock_timestamp() - begun)::float8;
            IF ahead > 0 THEN
              PERFORM pg_sleep(ahead);
            END IF;
          END IF;
        END LOOP;
      END $$""";
}
