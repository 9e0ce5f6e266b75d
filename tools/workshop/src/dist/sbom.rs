//! The software bill of materials (SBOM) of an archive, in CycloneDX. It has no random number, and its time is the commit's.

use super::dependencies::Dependency;
use keylane_records::passed::date;
use serde_json::{Value, json};

/// The SBOM of a product.
pub fn sbom(product: &str, version: &str, epoch: u64, dependencies: &[Dependency]) -> Value {
    let components = dependencies.iter().map(|dependency| {
        let sums = dependency.sum.iter().map(|sum| json!({"alg": "SHA-256", "content": sum}));
        json!({
            "type": "library",
            "bom-ref": dependency.url(),
            "name": dependency.name,
            "version": dependency.version,
            "purl": dependency.url(),
            "licenses": [{"expression": dependency.licence}],
            "hashes": sums.collect::<Vec<_>>(),
        })
    });
    let edges =
        dependencies.iter().map(|dependency| json!({"ref": dependency.url(), "dependsOn": dependency.needs}));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time(epoch),
            "component": {
                "type": "application",
                "bom-ref": product,
                "name": product,
                "version": version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
            },
        },
        "components": components.collect::<Vec<_>>(),
        "dependencies": edges.collect::<Vec<_>>(),
    })
}

/// Seconds from 1970 as a time in UTC.
fn time(epoch: u64) -> String {
    let (hours, minutes, seconds) = (epoch / 3600 % 24, epoch / 60 % 60, epoch % 60);
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}Z", date(epoch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_utc() {
        assert_eq!(time(1_700_000_000), "2023-11-14T22:13:20Z");
    }

    #[test]
    fn a_component_has_its_identity_licence_and_sum() {
        let dependency = Dependency {
            name: "b".into(),
            version: "2.0.0".into(),
            licence: "MIT".into(),
            sum: Some("beef".into()),
            folder: "/registry/b".into(),
            needs: vec!["pkg:cargo/c@3.0.0".into()],
        };
        let sbom = sbom("product", "1.2.3", 0, &[dependency]);
        assert_eq!(sbom["metadata"]["timestamp"], "1970-01-01T00:00:00Z");
        assert_eq!(sbom["components"][0]["purl"], "pkg:cargo/b@2.0.0");
        assert_eq!(sbom["components"][0]["licenses"][0]["expression"], "MIT");
        assert_eq!(sbom["components"][0]["hashes"][0], json!({"alg": "SHA-256", "content": "beef"}));
        assert_eq!(sbom["dependencies"][0]["dependsOn"][0], "pkg:cargo/c@3.0.0");
        assert_eq!(sbom.get("serialNumber"), None);
    }
}
