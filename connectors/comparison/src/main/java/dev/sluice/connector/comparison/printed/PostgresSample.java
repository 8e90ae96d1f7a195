package dev.sluice.connector.comparison.printed;

/**
 * The text that PostgreSQL prints for a sample of values, if it prints in the same way as this
 * side. Stateless.
 */
final class PostgresSample {
  /** The text of all versions of PostgreSQL that can be the other side. */
  static final String PRINTED =
      "(0.1,0.1,-0,NaN,Infinity,1e+100,NaN,1.500,-infinity,\"2000-01-31 09:34:56.789+00\","
          + "2000-01-31,10:00:00.5+02,\"1 mon -2 days +03:00:00.5\",\"\\\\x00ff\",$12.50,\"a  \","
          + "\"{\"\"a\"\": 1.0, \"\"b\"\": [null]}\",\"{1,NULL,\"\"NULL\"\"}\",\"[1,2)\",10.0.0.1,,"
          + "\"\",t)";

  private PostgresSample() {}
}
