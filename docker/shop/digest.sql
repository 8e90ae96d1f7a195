-- Number and hash of each table's rows.
SELECT 'customers', count(*), md5(string_agg(t::text, E'\n' ORDER BY id)) FROM shop.customers t
UNION ALL SELECT 'orders', count(*), md5(string_agg(t::text, E'\n' ORDER BY id)) FROM shop.orders t
UNION ALL SELECT 'lines', count(*), md5(string_agg(t::text, E'\n' ORDER BY order_id, number)) FROM shop.lines t
UNION ALL SELECT 'baskets', count(*), md5(string_agg(t::text, E'\n' ORDER BY customer)) FROM shop.baskets t;
