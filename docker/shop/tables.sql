-- The shop, on both sides.
CREATE SCHEMA shop;
CREATE TABLE shop.customers (
  id int PRIMARY KEY,
  email text NOT NULL UNIQUE,
  balance numeric(12,2) NOT NULL DEFAULT 0,
  notes text,
  since timestamptz NOT NULL DEFAULT now()
);
-- Stored out of line without compression: an UPDATE that leaves it alone does not log it.
ALTER TABLE shop.customers ALTER COLUMN notes SET STORAGE EXTERNAL;
CREATE TABLE shop.orders (
  id bigint PRIMARY KEY,
  customer int NOT NULL REFERENCES shop.customers,
  state text NOT NULL DEFAULT 'new',
  placed timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE shop.lines (
  order_id bigint REFERENCES shop.orders,
  number smallint,
  item text NOT NULL,
  quantity int NOT NULL,
  price numeric(8,2) NOT NULL,
  PRIMARY KEY (order_id, number)
);
CREATE TABLE shop.baskets (customer int PRIMARY KEY, items int[] NOT NULL);
