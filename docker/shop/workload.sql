-- One round of the shop's day: a hundred orders, and what else befalls a table.
DO $$
DECLARE o bigint;
BEGIN
  FOR i IN 1..100 LOOP
    o := nextval('shop.next_order');
    INSERT INTO shop.orders VALUES (o, 1 + floor(random() * 500));
    INSERT INTO shop.lines SELECT o, n, 'item ' || n, n, round((random() * 100)::numeric, 2) FROM generate_series(1, 3) n;
    UPDATE shop.customers SET balance = balance - 1 WHERE id = 1 + floor(random() * 500)::int;
    UPDATE shop.orders SET state = 'sent' WHERE id = o - 50;
    COMMIT;
  END LOOP;
END $$;
-- Unique values change places.
BEGIN;
UPDATE shop.customers SET email = email || '~' WHERE id IN (1, 2);
UPDATE shop.customers c SET email = rtrim(other.email, '~') FROM shop.customers other
  WHERE c.id IN (1, 2) AND other.id = 3 - c.id;
COMMIT;
-- A key is changed, and rows go.
INSERT INTO shop.customers SELECT nextval('shop.next_customer'), 'new' || currval('shop.next_customer') || '@example.org';
UPDATE shop.customers SET id = nextval('shop.next_customer') WHERE id = (SELECT max(id) FROM shop.customers);
DELETE FROM shop.lines WHERE order_id = (SELECT min(order_id) FROM shop.lines);
TRUNCATE shop.baskets;
INSERT INTO shop.baskets SELECT i, ARRAY[i, (random() * 100)::int] FROM generate_series(1, 100) i;
