package example.keylane;

import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A program that knows nothing of keylane: its arguments are an algorithm, a key and a message. It prints the tag. */
final class Unaware {
    private Unaware() {}

    public static void main(String[] arguments) throws Exception {
        Mac mac = Mac.getInstance(arguments[0]);
        mac.init(new SecretKeySpec(HexFormat.of().parseHex(arguments[1]), "RAW"));
        byte[] tag = mac.doFinal(HexFormat.of().parseHex(arguments[2]));
        System.out.println(mac.getProvider().getName() + " " + HexFormat.of().formatHex(tag));
    }
}
