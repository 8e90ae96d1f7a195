package dev.sluice.engine.endtoend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Every type that a column can have, with the values at its edges. Types are named as {@code
 * format_type} prints them; values are SQL expressions without their cast.
 */
final class TypeSamples {

  /** Types of the server whose input refuses every value: statistics and inner forms of indexes. */
  static final List<String> WITHOUT_INPUT =
      List.of(
          "gtsvector",
          "pg_brin_bloom_summary",
          "pg_brin_minmax_multi_summary",
          "pg_dependencies",
          "pg_mcv_list",
          "pg_ndistinct",
          "pg_node_tree");

  /** What the samples of {@link #made} need on the source. */
  static final List<String> MAKE =
      List.of(
          "CREATE SCHEMA kinds",
          "CREATE EXTENSION citext SCHEMA kinds",
          "CREATE EXTENSION hstore SCHEMA kinds",
          "CREATE EXTENSION ltree SCHEMA kinds",
          "CREATE EXTENSION cube SCHEMA kinds",
          "CREATE EXTENSION seg SCHEMA kinds",
          "CREATE EXTENSION isn SCHEMA kinds",
          "CREATE EXTENSION intarray SCHEMA kinds",
          "CREATE EXTENSION lo SCHEMA kinds",
          "CREATE TYPE kinds.mood AS ENUM ('sad', 'it''s, \\{\"ok\"}', '', 'ä😀', 'NULL')",
          "CREATE TYPE kinds.\"Quoted \"\"Name\"\".x\" AS ENUM ('a', 'b')",
          "CREATE DOMAIN kinds.short AS varchar(3) NOT NULL DEFAULT 'x' CHECK (VALUE <> 'bad')"
              + " CHECK (length(VALUE) < 4)",
          "CREATE DOMAIN kinds.shorter AS kinds.short CONSTRAINT two CHECK (length(VALUE) < 3)",
          "CREATE DOMAIN kinds.codes AS int[] CHECK (array_length(VALUE, 1) < 9)",
          "CREATE TYPE kinds.pair AS (a int, b text COLLATE \"C\", c numeric(6,2))",
          "CREATE TYPE kinds.nested AS (p kinds.pair, ps kinds.pair[], m kinds.mood,"
              + " d kinds.codes, \"at\" timestamptz[])",
          "CREATE DOMAIN kinds.proper AS kinds.pair CHECK ((VALUE).a > 0)",
          "CREATE DOMAIN kinds.pairs AS kinds.pair[]",
          "CREATE TYPE kinds.words AS RANGE (SUBTYPE = text, COLLATION = \"C\","
              + " MULTIRANGE_TYPE_NAME = kinds.many_words)",
          "CREATE TYPE kinds.moods AS RANGE (SUBTYPE = kinds.mood)",
          "CREATE TYPE kinds.floats AS RANGE (SUBTYPE = float8)",
          "CREATE TYPE kinds.pairrange AS RANGE (SUBTYPE = kinds.pair)");

  private TypeSamples() {}

  /** Types that come with every server. */
  static Map<String, List<String>> builtIn() {
    Map<String, List<String>> types = new LinkedHashMap<>();
    add(types, "boolean", "true", "false");
    add(types, "smallint", "-32768", "32767", "0");
    add(types, "integer", "-2147483648", "2147483647", "0");
    add(types, "bigint", "-9223372036854775808", "9223372036854775807", "0");
    add(types, "numeric", "NaN", "Infinity", "-Infinity", "0", "1.500", "-0.000", "1e-20");
    more(types, "numeric", "('-' || repeat('1234567890', 100))::numeric");
    more(types, "numeric", "('0.' || repeat('0123456789', 100))::numeric");
    more(types, "numeric", "('1e131071')::numeric");
    add(types, "real", "NaN", "Infinity", "-Infinity", "-0", "3.4028235e38", "1e-45", "0.1");
    more(types, "real", "'inf'::float4 - 'inf'::float4");
    add(types, "double precision", "NaN", "Infinity", "-Infinity", "-0", "5e-324", "0.1");
    add(types, "double precision", "1.7976931348623157e308", "123456789.12345679", "1e15");
    more(types, "double precision", "'inf'::float8 - 'inf'::float8");
    add(types, "money", "12.34", "-92233720368547758.08", "92233720368547758.07");
    add(types, "text", "", " ", "\\N", "\\", "\\\\.", "\\.", "NULL", "null", "'\"{},()[];", "é😀");
    more(types, "text", "E'a\\tb\\nc\\rd\\be\\ff\\vg\\r\\n'", "U&'\\2028\\2029\\FEFF\\0085'");
    more(types, "text", "chr(1) || chr(127) || chr(1114111) || E'\\n\\\\.\\n'");
    add(types, "character varying", "", "varying ");
    add(types, "character", "x", " ", "ä");
    add(types, "\"char\"", "x", "", "\\", "'");
    more(types, "\"char\"", "'\\377'::\"char\"");
    add(types, "name", "", "a name", "quote\"d");
    more(types, "name", "repeat('é', 31)::name");
    add(types, "refcursor", "a cursor", "");
    add(types, "bytea", "\\x", "\\x00ff5c0a0d09275c5c", "\\\\000\\\\134");
    add(types, "date", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "2024-02-29");
    add(types, "time without time zone", "24:00:00", "00:00:00", "23:59:59.999999");
    add(types, "time with time zone", "24:00:00-15:59:59", "00:00:00+15:59:59", "12:00:00.5+00");
    add(types, "timestamp without time zone", "infinity", "-infinity", "4713-01-01 00:00:00 BC");
    add(types, "timestamp without time zone", "294276-12-31 23:59:59.999999", "1970-01-01");
    add(types, "timestamp with time zone", "infinity", "-infinity", "4713-01-01 00:00:00+00 BC");
    add(
        types,
        "timestamp with time zone",
        "294276-12-31 23:59:59.999999+00",
        "2024-10-27 01:30+02");
    add(types, "timestamp with time zone", "1883-11-18 12:03:58-07:52:58");
    add(types, "interval", "0", "1 year -2 mons +3 days -04:05:06.789012", "-1 mons +1 day");
    add(types, "interval", "178956970 years 7 mons 2147483647 days 2562047788:00:54.775806");
    add(types, "interval", "-178956970 years -7 mons -2147483648 days -2562047788:00:54.775807");
    add(types, "interval", "-00:00:00.000001", "P-1Y2M-3DT4H-5M6S");
    add(types, "bit", "1", "0");
    add(types, "bit varying", "", "1", "1010101010101010101010101010101010101");
    add(
        types,
        "uuid",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff");
    add(types, "inet", "::", "::ffff:1.2.3.4/96", "10.1.2.3/8", "255.255.255.255", "fe80::1/64");
    add(types, "cidr", "0.0.0.0/0", "10.1.2.3/32", "2001:db8::/32");
    add(types, "macaddr", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff");
    add(types, "macaddr8", "08:00:2b:01:02:03:04:05", "00:00:00:00:00:00:00:00");
    add(
        types,
        "json",
        "{\"b\" : 1,  \"a\":[1, null], \"b\": 1.0e400}",
        "\"\\u00e9\\u2028\"",
        " null ");
    add(
        types,
        "json",
        "[ 1 ,\n\t2\r\n]",
        "{}",
        "12345678901234567890.123456789012345678901234567890");
    add(
        types,
        "jsonb",
        "{\"b\": 1.0, \"a\": \"\\\"\", \"b\": 1.00}",
        "null",
        "\"\"",
        "[[], {}, 1e400]");
    add(
        types,
        "jsonb",
        "12345678901234567890.123456789012345678901234567890",
        "\"\\\\ \\t \\ud83d\\ude00\"");
    add(
        types,
        "jsonpath",
        "$.a[*] ? (@.b > 1 && @.c like_regex \"^x\" flag \"i\")",
        "strict $[last]");
    add(
        types,
        "xml",
        "<a x=\"1\">b &amp; c</a>",
        "text <b/> more",
        "",
        "<!-- c --><r><![CDATA[<>]]></r>");
    add(types, "xml", "<?xml version=\"1.1\" standalone=\"yes\"?><é>\u2028</é>");
    add(types, "tsvector", "", "'a':1A,2B 'b\\\\c':16383C 'it''s' ' ':3", "'ä'");
    add(types, "tsquery", "", "'fat' & !( 'rat':AB* | 'it''s' ) <2> 'c\\\\d'");
    add(types, "pg_lsn", "0/0", "FFFFFFFF/FFFFFFFF", "16/B374D848");
    add(types, "pg_snapshot", "10:20:10,14,15", "1:1:");
    add(types, "txid_snapshot", "10:20:10,14,15", "1:1:");
    add(types, "xid", "0", "4294967295");
    add(types, "xid8", "0", "18446744073709551615");
    add(types, "cid", "0", "4294967295");
    add(types, "tid", "(0,0)", "(4294967295,65535)");
    add(types, "oid", "0", "4294967295");
    add(types, "oidvector", "", "1 4294967295 3");
    add(types, "int2vector", "", "1 -2 3");
    add(types, "regclass", "pg_class", "-", "4000000000", "information_schema.tables");
    add(types, "regcollation", "\"C\"", "\"default\"");
    add(types, "regconfig", "english", "simple");
    add(types, "regdictionary", "english_stem");
    add(types, "regnamespace", "pg_catalog", "information_schema");
    add(types, "regoper", "||/", "|/");
    add(types, "regoperator", "+(integer,integer)", "-(NONE,bigint)");
    add(types, "regproc", "now", "-");
    add(types, "regprocedure", "abs(numeric)", "now()");
    add(types, "regrole", "postgres", "\"The \"\"odd\"\" role\"");
    add(types, "regtype", "integer", "timestamp with time zone", "integer[]", "\"char\"");
    add(types, "aclitem", "postgres=r*w/postgres", "=rw/postgres");
    more(types, "aclitem", "makeaclitem('\"The \"\"odd\"\" role\"'::regrole, 10, 'INSERT', true)");
    add(types, "point", "(1,2)", "(-0,NaN)", "(Infinity,-Infinity)", "(0.1,5e-324)");
    add(types, "line", "{1,-1,0}", "{0.1,0.2,1e300}", "{Infinity,NaN,1}");
    add(types, "lseg", "[(0,0),(0.30000000000000004,1e-300)]");
    add(types, "box", "(3,4),(1,2)", "(Infinity,0.1),(-Infinity,-0)", "(1,1),(1,1)");
    add(types, "path", "[(0,0),(1,1)]", "((0.1,1e308),(2,2),(NaN,3))");
    add(types, "polygon", "((0,0),(1,1),(1,0.1))", "((1.7976931348623157e308,5e-324))");
    add(types, "circle", "<(0,0),1>", "<(0.1,-0.2),Infinity>");
    add(types, "int4range", "empty", "[-2147483648,2147483647)", "(,)", "[5,6)");
    add(types, "int8range", "[-9223372036854775808,0)", "(,5)", "empty");
    add(types, "numrange", "[1.0,1.00]", "(NaN,)", "(-Infinity,Infinity]", "[0,1e-30)");
    add(types, "daterange", "[infinity,)", "[4713-01-01 BC,5874897-12-31)", "(,)");
    add(types, "tsrange", "[\"4713-01-01 00:00:00 BC\",infinity]", "(,\"2024-01-01 12:00:00\")");
    add(
        types,
        "tstzrange",
        "[\"0044-03-15 00:00:00+00 BC\",\"2024-01-01 12:00:00.000001+00\")",
        "empty");
    add(types, "int4multirange", "{}", "{[1,2),[5,6)}", "{(,)}");
    add(types, "int8multirange", "{[-9223372036854775808,0)}");
    add(types, "nummultirange", "{[1.0,1.00],(2.50,Infinity]}", "{}");
    add(types, "datemultirange", "{[2024-01-01,2024-01-03),[infinity,)}");
    add(types, "tsmultirange", "{[\"2024-01-01 00:00:00\",infinity]}");
    add(types, "tstzmultirange", "{(,\"2024-01-01 12:00:00+00\"),[\"2025-01-01 00:00:00+00\",)}");
    add(types, "information_schema.cardinal_number", "0", "2147483647");
    add(types, "information_schema.character_data", "", "data");
    add(types, "information_schema.sql_identifier", "", "an identifier");
    add(types, "information_schema.time_stamp", "2024-01-01 00:00:00.12+00", "infinity");
    add(types, "information_schema.yes_or_no", "YES", "NO");
    return types;
  }

  /** Built-in types with modifiers, and types that are made: with {@link #MAKE}. */
  static Map<String, List<String>> made() {
    Map<String, List<String>> types = new LinkedHashMap<>();
    add(types, "numeric(1000,500)", "-0.5", "1234567890");
    add(types, "numeric(5,-3)", "99999000", "-1000");
    add(types, "numeric(3,7)", "0.0000999");
    add(types, "character varying(5)", "", "fünf ", "😀😀😀😀😀");
    add(types, "character(5)", "", "ab", "äöü", "x\\");
    add(types, "bpchar", "trailing  ", "");
    add(types, "bit(3)", "101");
    add(types, "bit varying(7)", "", "1010101");
    add(types, "time(0) without time zone", "24:00:00");
    add(types, "time(3) with time zone", "23:59:59.999+05:30:15");
    add(types, "timestamp(0) without time zone", "2024-02-29 23:59:59");
    add(types, "timestamp(3) with time zone", "2024-02-29 23:59:59.999+00", "-infinity");
    add(types, "interval year to month", "178956970 years 7 mons", "-1 mons");
    add(types, "interval day to second(2)", "-3 days +04:05:06.78");
    add(types, "interval(0)", "1 year 00:00:01");
    add(types, "kinds.mood", "sad", "it's, \\{\"ok\"}", "", "ä😀", "NULL");
    add(types, "kinds.\"Quoted \"\"Name\"\".x\"", "b");
    add(types, "kinds.short", "abc", "");
    add(types, "kinds.shorter", "ab", "");
    add(types, "kinds.codes", "{1,NULL,3}", "[-1:0]={7,8}", "{}");
    add(types, "kinds.pair", "(1,\"a,\"\"b\\\\\\\\\",1.50)", "(,,)", "(,\"\",)", "(0,NULL,)");
    more(types, "kinds.nested", nested());
    add(types, "kinds.proper", "(1,a,)");
    add(types, "kinds.pairs", "{\"(1,\\\"a,b\\\",)\",NULL}", "[2:2]={\"(,,)\"}");
    add(types, "kinds.words", "[a,\"b, \\\"c\\\"\"]", "empty", "[\"\",)", "(,\"\\\\\")");
    add(types, "kinds.many_words", "{[a,b),(\"c \",]}", "{}");
    add(types, "kinds.moods", "[sad,ä😀)", "(,)");
    add(types, "kinds.floats", "[-0,NaN]", "(,0.1)");
    add(types, "kinds.pairrange", "[\"(1,a,1.00)\",\"(2,\\\"b,\\\"\\\"\\\",)\")");
    add(types, "kinds.citext", "MiXed", "");
    add(types, "kinds.hstore", "\"a\"=>\"1\", \"b\"=>NULL, \"\"=>\"\\\"q\\\\\"", "");
    add(types, "kinds.ltree", "Top.Science.Astronomy", "");
    add(types, "kinds.lquery", "Top.*{1,2}.!a|b@*");
    add(types, "kinds.ltxtquery", "a & !(b@ | c%)");
    add(types, "kinds.cube", "(1, 2),(0.1, -5e-324)", "()");
    add(types, "kinds.seg", "~6.50", "1.00 .. 2.0", "< 3");
    add(types, "kinds.isbn13", "978-0-393-04002-9");
    add(types, "kinds.ean13", "220-500896524-3!");
    add(types, "kinds.query_int", "1 & ( 2 | !3 )");
    add(types, "kinds.lo", "0", "4294967295");
    return types;
  }

  private static String nested() {
    return "ROW(ROW(1, 'a,\"b\\', 1.5)::kinds.pair,"
        + " ARRAY[NULL, ROW(NULL, '', NULL)::kinds.pair], 'NULL', '[0:1]={1,NULL}',"
        + " '{{infinity,\"0044-03-15 00:00:00+00 BC\"}}')";
  }

  private static void add(Map<String, List<String>> types, String type, String... texts) {
    for (String text : texts) {
      more(types, type, "'" + text.replace("'", "''") + "'");
    }
  }

  private static void more(Map<String, List<String>> types, String type, String... expressions) {
    types.computeIfAbsent(type, name -> new ArrayList<>()).addAll(List.of(expressions));
  }
}
