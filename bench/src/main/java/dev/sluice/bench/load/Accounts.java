package dev.sluice.bench.load;

import java.util.SplittableRandom;

/** The table of yb-voyager's performance page: ten thousand accounts of each block. */
public final class Accounts implements CsvRows {
  private static final int ACCOUNTS_OF_A_BLOCK = 10_000;

  @Override
  public String table() {
    return "accounts";
  }

  @Override
  public String createTable() {
    return """
        CREATE TABLE public.accounts (
          block bigint NOT NULL,
          address text NOT NULL,
          dc_balance bigint DEFAULT 0 NOT NULL,
          dc_nonce bigint DEFAULT 0 NOT NULL,
          security_balance bigint DEFAULT 0 NOT NULL,
          security_nonce bigint DEFAULT 0 NOT NULL,
          balance bigint DEFAULT 0 NOT NULL,
          nonce bigint DEFAULT 0 NOT NULL,
          staked_balance bigint,
          PRIMARY KEY (block, address))
        """;
  }

  @Override
  public String[] row(int number) {
    SplittableRandom random = new SplittableRandom(number);
    return new String[] {
      Integer.toString(1_000_000 + number / ACCOUNTS_OF_A_BLOCK),
      Long.toHexString(random.nextLong() | Long.MIN_VALUE)
          + Long.toHexString(random.nextLong() | Long.MIN_VALUE),
      Long.toString(random.nextLong(1_000_000_000)),
      Integer.toString(random.nextInt(1000)),
      "0",
      "0",
      Long.toString(random.nextLong(1_000_000_000_000L)),
      Integer.toString(random.nextInt(100_000)),
      random.nextInt(4) == 0 ? Long.toString(random.nextLong(1_000_000_000)) : ""
    };
  }
}
